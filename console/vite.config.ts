/** Builds the two pages and their parts into console/dist, which the service serves under /app. */
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { serviceDefinitions } from './build/service-definitions.ts'
import { themeStyles } from './build/theme-styles.ts'

export default defineConfig({
  root: import.meta.dirname,
  // All addresses are relative, because a proxy may offer the service below any path.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [react(), themeStyles(), serviceDefinitions()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Says which files a page loads first.
    manifest: 'manifest.json',
    target: 'es2023',
    // The content security policy allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
    rolldownOptions: { input: { explore: 'explore.html', console: 'console.html' } },
  },
  // The service has the files under /app, and the two pages beside that.
  experimental: {
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `./app/${file}` : { relative: true }),
  },
  worker: { format: 'es', plugins: () => [serviceDefinitions()] },
})
