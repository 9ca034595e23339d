import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The server that `make ui-dev` passes requests of the API to.
const server = process.env.TROWEL_SERVER ?? "http://127.0.0.1:65432";

export default defineConfig({
  // Addresses in the page are relative: the server writes a <base> that fits the path under which it is reached.
  base: "./",
  plugins: [react()],
  css: {
    transformer: "lightningcss",
    lightningcss: { cssModules: { pattern: "[name]-[local]" }, targets: { chrome: 120 << 16, firefox: 121 << 16, safari: 17 << 16 } },
  },
  build: {
    outDir: "../internal/ui/dist",
    emptyOutDir: true,
    target: ["chrome120", "firefox121", "safari17"],
    cssMinify: "lightningcss",
    sourcemap: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // One file for what all pages share, and one for each page: the first page takes few requests. What shows files is large, and read
        // when the first file is shown; so are the languages of files other than workflows.
        codeSplitting: {
          groups: [
            {
              name: "index",
              test: /rolldown\/runtime|preload-helper|\/node_modules\/(?!@codemirror|@lezer|@marijn|style-mod|crelt|w3c-keyname)|\/src\/(?!pages\/|forms\/|log\/|tree\/(?!CountsBar)|code\/)/,
              priority: 3,
            },
            { name: "forms", test: /\/src\/forms\//, priority: 3 },
            {
              name: "code",
              test: /\/node_modules\/(?!@(codemirror\/lang-|lezer\/)(sql|python|json))|\/src\/code\/mirror/,
              priority: 2,
            },
            { name: "languages", test: /\/node_modules\/|\/src\/code\/languages/, priority: 1 },
          ],
        },
      },
    },
  },
  worker: { format: "es" },
  server: { proxy: { "/api": { target: server, changeOrigin: true } } },
});
