import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiReference } from '../packages/sdk/src/contract/apiReference.ts';
import { clientTypes } from '../packages/sdk/src/contract/clientTypes.ts';
import { openApiDocument } from '../packages/sdk/src/contract/openapi.ts';
import { gatewayReference } from './gatewayDocs.mjs';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'));

/** TypeScript as it is formatted in this repository. @param {string} text */
const formatted = (text) =>
  execFileSync(join(root, 'node_modules', '.bin', 'oxfmt'), ['--stdin-filepath', 'generated.ts'], {
    cwd: root,
    encoding: 'utf8',
    input: text,
  });

/** The files that are written from the source: where each one belongs, and what it has to say. */
export const generatedDocs = [
  { path: join(root, 'docs/api.md'), text: apiReference() },
  { path: join(root, 'docs/gateway-command.md'), text: gatewayReference() },
  { path: join(root, 'docs/openapi.json'), text: `${JSON.stringify(openApiDocument({ version }), null, 2)}\n` },
  { path: join(root, 'packages/sdk/src/client/api.generated.ts'), text: formatted(clientTypes()) },
];
