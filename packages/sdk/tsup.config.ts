import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'contract/index': 'src/contract/index.ts',
    'contract/openapi': 'src/contract/openapi.ts',
    format: 'src/format.ts',
    lines: 'src/lines.ts',
    'rules/index': 'src/rules/index.ts',
  },
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  splitting: true,
  sourcemap: true,
  minify: false,
  clean: true,
});
