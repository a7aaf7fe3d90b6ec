import { describe, expect, it } from 'vitest';
import { configText } from './configText.ts';
import type { Owner } from './desiredState.ts';

/** Two lines for an object, within a block. */
const writeTwice = (file: string, object: object, words: string[]): { text: string; owners: Owner[] } => {
  const owners: Owner[] = [];
  const out = configText(file, owners);
  out.line('first');
  for (const word of words) {
    out.block('server', () => {
      out.owned('httpService', 5, () => {
        out.asBefore(object, '', () => {
          out.line(word);
          out.block('location', () => out.line(`deep ${word}`));
        });
      });
    });
  }
  return { text: out.file().text, owners };
};

describe('asBefore', () => {
  it('writes for one object what it wrote before, and counts its lines', () => {
    const object = {};
    const first = writeTwice('a.conf', object, ['once']);
    expect(first.text).toBe('first;\nserver {\n  once;\n  location {\n    deep once;\n  }\n}\n');
    expect(first.owners).toEqual([{ kind: 'httpService', id: 5, file: 'a.conf', from: 3, to: 6 }]);

    const second = writeTwice('b.conf', object, ['other', 'third']);
    expect(second.text).toBe(
      'first;\nserver {\n  once;\n  location {\n    deep once;\n  }\n}\nserver {\n  once;\n  location {\n    deep once;\n  }\n}\n',
    );
    expect(second.owners.map((owner) => 'from' in owner && [owner.file, owner.from, owner.to])).toEqual([
      ['b.conf', 3, 6],
      ['b.conf', 9, 12],
    ]);
    expect(writeTwice('c.conf', {}, ['other']).text).toContain('other');
  });

  it('writes it anew at another depth', () => {
    const object = {};
    writeTwice('a.conf', object, ['once']);
    const out = configText('b.conf', []);
    out.asBefore(object, '', () => out.line('here'));
    expect(out.file().text).toBe('here;\n');
  });

  it('writes it anew when it is written otherwise', () => {
    const [object, out] = [{}, configText('a.conf', [])];
    for (const how of ['one', 'one', 'other']) out.asBefore(object, how, () => out.line(how));
    expect(out.file().text).toBe('one;\none;\nother;\n');
  });
});

describe('wholly', () => {
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
});
