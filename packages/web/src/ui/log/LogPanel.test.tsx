import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { LogLine, LogPanel } from './LogPanel.tsx';

it('is monospace, and colours a line by its level', () => {
  const levels = ['error', 'warn', 'info', 'debug', 'neutral'] as const;
  render(
    <LogPanel label="Real time logs">
      {levels.map((level) => (
        <LogLine key={level} level={level}>
          {level}
        </LogLine>
      ))}
    </LogPanel>,
  );
  expect(screen.getByRole('region', { name: 'Real time logs' }).className).toContain('font-mono');
  const inks = levels.map((level) => /\btext-(log-\w+|ink)\b/.exec(screen.getByText(level).className)?.[1]);
  expect(inks).toEqual(['log-error', 'log-warn', 'log-info', 'log-debug', 'ink']);
});
