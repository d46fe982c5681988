#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { ensureDevIssuer, signDevToken, type TokenClaims } from './dev-issuer.ts';
import { CommandError, messageOf } from './terminal/command-error.ts';
import { runCommand } from './terminal/output.ts';

const usage =
  'npm run --silent token -- --sub <user> [--role <role>]... [--group <group>]... [--permission <target:action>]... [--tenant <tenant>] [--issuer <file>]';

/** Reads whom a token is for from the options of `npm run token`. */
export function parseTokenOptions(args: readonly string[]): TokenClaims {
  const values = parseOptions(args);
  return {
    sub: values.sub,
    roles: values.role,
    groups: values.group,
    permissions: values.permission,
    ...(values.tenant !== undefined && { tenant: values.tenant }),
  };
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        sub: { type: 'string', default: 'demo' },
        role: { type: 'string', multiple: true, default: [] },
        group: { type: 'string', multiple: true, default: [] },
        permission: { type: 'string', multiple: true, default: [] },
        tenant: { type: 'string' },
        issuer: { type: 'string' },
      },
    }).values;
  } catch (cause) {
    throw new CommandError(messageOf(cause), `Usage: ${usage}`, { cause });
  }
}

if (import.meta.main) {
  await runCommand(async () => {
    const args = process.argv.slice(2);
    const claims = parseTokenOptions(args);
    const issuer = await ensureDevIssuer(parseOptions(args).issuer);
    process.stdout.write(`${await signDevToken(issuer, claims)}\n`);
  });
}
