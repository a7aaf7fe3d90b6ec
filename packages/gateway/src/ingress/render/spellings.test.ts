import { describe, expect, it } from 'vitest';
import { renderOptions, service, stateOf } from '../../testing/desiredStates.ts';
import type { DesiredHttpService } from './desiredState.ts';
import { ownerOf } from './configText.ts';
import { renderNginx } from './nginx.ts';

/** Some services above each other, with as many below the last of them that are protected. */
function nested(count: number, rest: Partial<DesiredHttpService>): string {
  const steps = Array.from({ length: count }, (_, index) => `/${'a/'.repeat(index % 60)}`);
  const deepest = `/${'a/'.repeat(Math.min(count, 60) - 1)}`;
  const services = steps.flatMap((pathLocation, index) => [
    service(10 + index, { pathLocation: `${pathLocation}${index < 60 ? '' : index}` }),
    service(1000 + index, { pathLocation: `${deepest}leaf${index}`, ...rest }),
  ]);
  const state = stateOf(...services);
  const domains = state.domains.map((domain) => ({ ...domain, signIn: true }));
  const { files, faults } = renderNginx({ ...state, domains }, renderOptions);
  expect(faults).toEqual([]);
  return files.map(({ text }) => text).join('');
}

const countOf = (text: string, part: string): number => text.split(part).length - 1;

describe.each([
  ['a list', { blockedIps: ['192.0.2.1'] }],
  ['a sign-in', { requireAuth: true }],
])('paths with %s below many others', (_, rest) => {
  it('make no more conditions and locations for each of those', () => {
    const text = nested(60, rest);
    expect(countOf(text, ' if (')).toBeLessThan(8 * 120);
    expect(countOf(text, 'location ')).toBeLessThan(4 * 120);
  });

  it('are compared with the path of a request once', () => {
    const one = nested(2, rest);
    expect(countOf(nested(60, rest), 'map $uri ')).toBe(countOf(one, 'map $uri '));
  });
});

it('refuses where more paths lie above each other than nginx asks variables of', () => {
  const deep = Array.from({ length: 99 }, (_, index) =>
    service(10 + index, {
      pathLocation: `/${Array(index + 1)
        .fill('a')
        .join('/')}`,
      blockedIps: ['192.0.2.1'],
    }),
  );
  const { files } = renderNginx(stateOf(...deep, service(9)), renderOptions);
  const text = files.map((file) => file.text).join('');
  const upper = new Map(
    [...text.matchAll(/(\$outsider_\d+_\d+) \{\s+".*" 1;\s+default (\S+);/g)].map(([, a, b]) => [a, b]),
  );
  for (let variable: string | undefined = '$outsider_9_0', depth = 0; variable?.startsWith('$'); depth += 1) {
    expect(depth).toBeLessThan(60);
    variable = upper.get(variable);
  }
  expect([...upper.values()]).toContain('1');
});

it('blames the node that writes the path of a service of the gateway in another case', () => {
  const listed = { blockedIps: ['192.0.2.1'] };
  const { files, owners } = renderNginx(
    stateOf(
      service(9, { pathLocation: '/app/', ...listed }),
      service(10, { pathLocation: '/APP', remoteNode: 7, ...listed }),
      service(11, { pathLocation: '/', remoteNode: 7 }),
    ),
    renderOptions,
  );
  const lines = files.find(({ path }) => path === 'shared.conf')?.text.split('\n') ?? [];
  const line = 1 + lines.findIndex((text) => /map "\$place:.*" \$outsider_\d+_0 /.test(text));
  expect(line).toBeGreaterThan(0);
  expect(ownerOf(owners, { file: 'shared.conf', line })).toEqual({ kind: 'httpService', id: 10 });
});

it.each([{ blockedIps: ['192.0.2.1'] }, { requireAuth: true }])(
  'has no group in a pattern that gives back what it repeated: of a long path nginx would say that it does not match (%o)',
  (rest) => {
    const patterns = [...nested(3, rest).matchAll(/"~.*?(?<!\\)"/g)].map(([text]) => text);
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.filter((text) => /(?<!\\)\)(?:[*+](?!\+)|\{\d+,\}(?!\+))/.test(text))).toEqual([]);
  },
);
