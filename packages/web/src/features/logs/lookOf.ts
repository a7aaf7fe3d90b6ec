import { levelOf, type BufferedLine, type Level } from '@sallyport/sdk';
import type { LogLevel, LogLook } from '../../ui/log/LogPanel.tsx';

const LEVELS: Record<Level, LogLevel> = { ERROR: 'error', WARN: 'warn', INFO: 'info', DEBUG: 'debug' };

/** How a line of the log looks; a gap is a remark of the console. */
export function lookOf(line: BufferedLine, isGap: boolean): LogLook {
  const level = isGap ? null : levelOf(line.text);
  return { level: level ? LEVELS[level] : 'neutral', remark: isGap };
}
