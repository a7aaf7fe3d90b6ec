// `pnpm generate`: writes the pages of docs that come from the source.
import { writeFileSync } from 'node:fs';
import { generatedDocs } from './generatedDocs.mjs';

for (const { path, text } of generatedDocs) writeFileSync(path, text);
