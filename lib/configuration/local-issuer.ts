import { existsSync, readFileSync } from 'node:fs';
import type { IConstruct } from 'constructs';
import { contextProperties } from './configuration.ts';

/**
 * Lets the stage local accept the tokens of an issuer of this machine, beside those of configured issuers. Nothing
 * happens while there is no such file.
 */
export function trustLocalIssuer(scope: IConstruct, file: string): void {
  if (!existsSync(file)) return;
  const { issuer, audience, jwks } = JSON.parse(readFileSync(file, 'utf8'));
  const configured = contextProperties(scope)['security.issuers'];
  scope.node.setContext('svc.security.dev', true);
  scope.node.setContext('svc.security.issuers', [
    ...(Array.isArray(configured) ? configured : []),
    { issuer, audience, jwks, algorithms: ['ES256'] },
  ]);
}
