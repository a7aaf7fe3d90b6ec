import { expect, it } from 'vitest';
import { configText } from './configText.ts';
import type { Owner } from './desiredState.ts';

it('leaves nothing of what could not be written to its end', () => {
  const owners: Owner[] = [];
  const out = configText('a.conf', owners);
  out.line('before');
  const broken = (): void =>
    out.wholly(() => {
      out.owned('domain', 1, () => out.line('half'));
      out.block('server', () => {
        throw new Error('no name');
      });
    });
  expect(broken).toThrow('no name');
  out.owned('domain', 2, () => out.line('behind'));
  expect(out.file().text).toBe('before;\nbehind;\n');
  expect(owners).toEqual([{ kind: 'domain', id: 2, file: 'a.conf', from: 2, to: 2 }]);
});
