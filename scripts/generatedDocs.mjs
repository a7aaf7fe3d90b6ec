import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiReference } from '../packages/sdk/src/contract/apiReference.ts';
import { openApiDocument } from '../packages/sdk/src/contract/openapi.ts';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'));

/** The pages that are written from the source: where each one belongs, and what it has to say. */
export const generatedDocs = [
  { path: join(root, 'docs/api.md'), text: apiReference() },
  { path: join(root, 'docs/openapi.json'), text: `${JSON.stringify(openApiDocument({ version }), null, 2)}\n` },
];
