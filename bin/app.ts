import { createPlatformApp } from '../lib/platform-app.ts';
import { ConfigError } from '../shared/config/index.ts';

try {
  const app = createPlatformApp();
  if (app.node.tryGetContext('checks')) {
    const { addSecurityChecks } = await import('../lib/configuration/checks.ts');
    addSecurityChecks(app);
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(`\n${error.message}\n`);
  process.exitCode = 1;
}
