import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { chunkGroups } from './bundle/chunkGroups.ts';
import { compressFiles, completePage, withoutDocumentation } from './bundle/plugins.ts';
import { docsPlugin } from './docs/docsPlugin.ts';

/** Where `vite` finds the gateway's own listener while developing. */
const GATEWAY = process.env['SALLYPORT_GATEWAY'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [react(), tailwindcss(), docsPlugin(), withoutDocumentation(), completePage(), compressFiles()],
  // Packages of this workspace are read from their sources, see "exports" in their package.json.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    outDir: 'dist',
    // light-dark() and oklch() are used as they are: browsers from the spring of 2024 on.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The Content-Security-Policy has no room for inline scripts or data: fonts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: chunkGroups() },
        // The first file lists all others by name: their hashes are what of it cannot be compressed.
        chunkFileNames: 'assets/[name]-[hash:7].js',
      },
    },
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    proxy: { '/api': { target: GATEWAY, changeOrigin: false } },
  },
});
