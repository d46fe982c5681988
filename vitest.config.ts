import { defineConfig } from 'vitest/config';

/** `unit` needs no network; `cloud` runs the journeys against AWS_ENDPOINT_URL, one file after the other. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 30_000,
          server: { deps: { inline: ['cmmn-moddle', 'moddle', 'moddle-xml', 'min-dash'] } },
        },
      },
      {
        test: {
          name: 'cloud',
          include: ['test/cloud/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 30_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
