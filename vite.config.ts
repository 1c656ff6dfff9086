import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const web = fileURLToPath(new URL('./web/', import.meta.url));

export default defineConfig({
  root: web,
  base: '/',
  plugins: [react(), tailwind(), earlyTheme()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // A data: URI would need a looser content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
            {
              name: 'codemirror',
              test: /node_modules[\\/](@codemirror|@lezer|codemirror|style-mod|w3c-keyname|crelt)[\\/]/,
            },
          ],
        },
      },
    },
  },
});

/** The policy forbids inline scripts and a module runs too late: the theme is set by a small classic script before the first paint. */
function earlyTheme(): Plugin {
  const source = readFileSync(join(web, 'ui/early-theme.js'), 'utf8');
  const built = `assets/early-theme-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.js`;
  let isBuild = false;
  return {
    name: 'zoo-early-theme',
    configResolved: (config) => {
      isBuild = config.command === 'build';
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: built, source });
    },
    transformIndexHtml: () => [
      { tag: 'script', attrs: { src: isBuild ? `/${built}` : '/ui/early-theme.js' }, injectTo: 'head-prepend' },
    ],
  };
}
