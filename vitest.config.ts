import { defineConfig } from 'vitest/config';

/**
 * `unit` needs no network. `cloud` runs the journeys against a platform on a local cloud of its own, one file after
 * the other. `grants` then holds the AWS calls of the journeys against the policies of the stack. `faults` kills
 * processes: a short form here, the long one with `--mode long`.
 */
export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: ['test/helpers/world/temporary-folder.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
          server: { deps: { inline: ['cmmn-moddle', 'moddle', 'moddle-xml', 'min-dash'] } },
        },
      },
      {
        test: {
          name: 'cloud',
          include: ['test/cloud/**/*.test.ts'],
          globalSetup: ['test/helpers/cloud/cloud-setup.ts'],
          fileParallelism: false,
          testTimeout: 30_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          // Each file has a cloud of its own, and the short forms mostly wait for leases to end.
          maxWorkers: mode === 'long' ? 1 : 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'grants',
          include: ['test/grants/**/*.test.ts'],
          testTimeout: 30_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
}));
