import { defineConfig } from 'vitest/config';

/** Apart from the others: these tests need a JDK. `npm run test:dynamodb` starts what they ask. */
export default defineConfig({
  test: { name: 'dynamodb', include: ['test/dynamodb/**/*.test.ts'], testTimeout: 30_000 },
});
