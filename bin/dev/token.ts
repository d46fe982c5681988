import { parseArgs } from 'node:util';
import { ensureDevIssuer, signDevToken, type TokenClaims } from './dev-issuer.ts';
import { CommandError, messageOf } from './terminal/command-error.ts';
import { runCommand } from './terminal/output.ts';

const usage =
  'npm run --silent token -- --sub <user> [--role <role>]... [--group <group>]... [--permission <target:action>]... [--tenant <tenant>]';

/** Reads the options of `npm run token`. */
export function parseTokenOptions(args: readonly string[]): TokenClaims {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        sub: { type: 'string', default: 'demo' },
        role: { type: 'string', multiple: true, default: [] },
        group: { type: 'string', multiple: true, default: [] },
        permission: { type: 'string', multiple: true, default: [] },
        tenant: { type: 'string' },
      },
    });
    return {
      sub: values.sub,
      roles: values.role,
      groups: values.group,
      permissions: values.permission,
      ...(values.tenant !== undefined && { tenant: values.tenant }),
    };
  } catch (cause) {
    throw new CommandError(messageOf(cause), `Usage: ${usage}`, { cause });
  }
}

if (import.meta.main) {
  await runCommand(async () => {
    const claims = parseTokenOptions(process.argv.slice(2));
    process.stdout.write(`${await signDevToken(await ensureDevIssuer(), claims)}\n`);
  });
}
