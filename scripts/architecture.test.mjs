import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { moduleOf, readSource, violationsOf } from './architecture/violations.mjs';
import { MODULES, TABLE } from './architecture/table.mjs';

const root = join(import.meta.dirname, '..');
const sources = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root })
  .toSorted()
  .map((path) => readSource(path, readFileSync(join(root, path), 'utf8')));

describe('the source', () => {
  it('keeps its rules: who imports whom, how long a file is, who ends the process', () => {
    expect(sources.flatMap((source) => violationsOf(source, TABLE))).toEqual([]);
  });

  it.each(MODULES)('has the module %s', (module) => {
    expect(sources.some(({ path }) => moduleOf(path) === module && !path.includes('.test.'))).toBe(true);
  });
});

describe('the checker', () => {
  const broken = (path, text, table = TABLE) => violationsOf(readSource(path, text), table);

  it.each([
    ['a value', "import { z } from 'ofetch';"],
    ['a type', "import type { Z } from 'ofetch';"],
    ['a type in braces', "import { type Z } from 'ofetch';"],
    ['nothing but its effect', "import 'ofetch';"],
    ['later', "const later = () => import('ofetch');"],
    ['later, by a template', 'const later = () => import(`ofetch`);'],
    ['inside a type', "export type Z = import('ofetch').Z;"],
    ['to pass it on', "export { z } from 'ofetch';"],
    ['to pass all on', "export * from 'ofetch';"],
  ])('sees an import of %s', (_, text) => {
    expect(broken('packages/sdk/src/contract/node.ts', `\n${text}`)).toEqual([
      'packages/sdk/src/contract/node.ts:2: imports ofetch; sdk/contract may import npm:zod',
    ]);
  });

  it('lets comments and strings talk about imports', () => {
    const text = '// import "ofetch"\nexport const text = \'import "ofetch"\';';
    expect(broken('packages/sdk/src/contract/node.ts', text)).toEqual([]);
  });

  it.each([
    // Each row of the table, broken once: where, by what, and whether that is forbidden.
    ['sdk/src/contract/node.ts', '../rules/nodeActions.ts'],
    ['sdk/src/contract/node.ts', 'node:crypto'],
    ['sdk/src/rules/nodeActions.ts', '../client/createClient.ts'],
    ['sdk/src/client/transport.ts', '../rules/nodeActions.ts'],
    ['sdk/src/client/transport.ts', 'node:http'],
    ['web/src/ui/table/Table.tsx', '../../state/session.ts'],
    ['web/src/ui/table/Table.tsx', '@sallyport/sdk'],
    ['web/src/ui/table/Table.tsx', '@tanstack/react-router'],
    ['web/src/data/nodes.ts', '../features/nodes/NodeList.tsx'],
    ['web/src/features/services/HttpCard.tsx', '../nodes/NodeList.tsx'],
    ['web/src/features/logs/LogScreen.tsx', '../../app/Header.tsx'],
    ['web/src/features/logs/LogScreen.tsx', '../services/services.ts'],
    ['web/src/features/nodes/NodeList.tsx', '../domains/DomainList.tsx'],
    ['web/src/data/nodes.ts', '@sallyport/gateway/testing'],
    ['cli/src/commands/login.ts', './node/list.ts'],
    ['cli/src/commands/login.ts', '../config.ts'],
    ['cli/src/commands/login.ts', 'node:process'],
    ['gateway/src/ingress/render/nginx.ts', '../../store/tables.ts'],
    ['gateway/src/ingress/render/nginx.ts', 'node:path'],
    ['gateway/src/ingress/render/nginx.ts', '@sallyport/sdk/contract'],
    ['gateway/src/store/tables.ts', '../api/node/node.ts'],
    ['gateway/src/store/tables.ts', '@sallyport/sdk/contract'],
    ['gateway/src/api/node/node.ts', '../../ingress/nginx/ingress.ts'],
    ['gateway/src/tunnel/plan.ts', '../certificates/renewal.ts'],
    ['gateway/src/tunnel/plan.ts', '../ingress/render/configText.ts'],
    ['gateway/src/signin/signIn.ts', '../ingress/reconcile.ts'],
    ['gateway/src/ingress/nginx/ingress.ts', '../reconcile.ts'],
    ['gateway/src/start/compose.ts', '../testing.ts'],
    ['web/src/app/router.tsx', '../testing/openConsole.tsx'],
    ['gateway/src/start/compose.ts', '../../../sdk/src/index.ts'],
  ])('forbids %s to import %s', (path, specifier) => {
    expect(broken(`packages/${path}`, `import { thing } from '${specifier}';`)).not.toEqual([]);
  });

  it.each([
    ['sdk/src/contract/node.ts', "import * as z from 'zod/mini';"],
    ['sdk/src/client/transport.ts', "import { node } from '../contract/node.ts';"],
    ['web/src/ui/table/Table.tsx', "import { Menu } from '@base-ui/react/menu';"],
    ['web/src/features/nodes/NodeDetails.tsx', "import { HttpCard } from '../services/HttpCard.tsx';"],
    ['web/src/features/services/ServicePage.tsx', "import { RecentLines } from '../logs/RecentLines.tsx';"],
    ['web/src/app/router.tsx', "import { NodeList } from '../features/nodes/NodeList.tsx';"],
    ['cli/src/commands/node/list.ts', "import type { Context } from '../../context.ts';"],
    ['gateway/src/ingress/render/nginx.ts', "import type { Domain } from '@sallyport/sdk/contract';"],
    ['gateway/src/api/node/node.ts', "import { nodeActions } from '@sallyport/sdk/rules';"],
    ['gateway/src/start/startGateway.ts', "import { render } from '../ingress/render/nginx.ts';"],
    ['gateway/src/api/system/system.ts', "import about from '../../../package.json';"],
    ['web/src/testing/openConsole.tsx', "import { createTestGateway } from '@sallyport/gateway/testing';"],
    ['gateway/src/api/http/routes.test.ts', "import { createTestGateway } from '../../testing.ts';"],
  ])('lets %s say %s', (path, text) => {
    expect(broken(`packages/${path}`, text)).toEqual([]);
  });

  it('finds who ends the process, and who asks it anything in a command', () => {
    expect(broken('packages/gateway/src/config.ts', 'process.exit(1);')).toEqual([
      expect.stringContaining('config.ts:1: calls process.exit'),
    ]);
    expect(broken('packages/gateway/src/config.ts', "process['exit'](1);")).toHaveLength(1);
    expect(broken('packages/gateway/src/main.ts', 'process.exit(1);')).toEqual([]);
    const asks = 'const home = process.env;\nconst { argv } = process;\nexport const x = { process: 1 }.process;';
    expect(broken('packages/cli/src/commands/login.ts', asks)).toEqual([
      'packages/cli/src/commands/login.ts:1: uses process; cli/commands never does',
      'packages/cli/src/commands/login.ts:2: uses process; cli/commands never does',
    ]);
  });

  it.each([
    'let last = 0;',
    'export let last = 0;',
    'const plans = new WeakMap();',
    'export const plans: Map<string, string> = new Map([]);',
    'const seen = new Set(["a"]);',
    'const texts: Record<string, string> = {};',
    'const texts = {} as Record<string, string>;',
    'const lines: string[] = [];',
    'const word = /[a-z]+/g;',
  ])('finds what a module of pure functions could remember: %s', (text) => {
    const [first] = broken('packages/gateway/src/ingress/render/nginx.ts', text);
    expect(first).toContain('nginx.ts:1: has state of its own');
    expect(broken('packages/gateway/src/ingress/state.ts', text)).toHaveLength(1);
    expect(broken('packages/gateway/src/ingress/reconcile.ts', text)).toEqual([]);
  });

  it('lets a module of pure functions have constants, and its functions variables', () => {
    const text =
      'const WORDS = ["a"];\nconst word = /a/i;\nexport const f = () => {\n  let a = new Map();\n  return a;\n};';
    expect(broken('packages/gateway/src/tunnel/plan.ts', text)).toEqual([]);
  });

  it('finds a file that is too long, a test too', () => {
    expect(broken('packages/sdk/src/lines.ts', '\n'.repeat(400))).toEqual([]);
    expect(broken('packages/sdk/src/lines.ts', '\n'.repeat(401))).toHaveLength(1);
    expect(broken('packages/sdk/src/lines.test.ts', '\n'.repeat(401))).toHaveLength(1);
  });
});
