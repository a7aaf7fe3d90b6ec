// `pnpm generate`: writes the files that come from the source: pages of docs, and the client's interface.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { generatedDocs } from './generatedDocs.mjs';

for (const { path, text } of generatedDocs) writeFileSync(path, text);

// Our own packages are read from their source; others have a `source` too, which Node would not run.
registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      specifier.startsWith('@sallyport/') ? { ...context, conditions: ['source', ...context.conditions] } : context,
    ),
});
const { cliReference } = await import('@sallyport/cli/reference');
writeFileSync(join(import.meta.dirname, '../docs/cli.md'), await cliReference());
