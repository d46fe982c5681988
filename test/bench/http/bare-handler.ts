import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ApiGatewayV2Client,
  CreateApiCommand,
  CreateIntegrationCommand,
  CreateRouteCommand,
  CreateStageCommand,
} from '@aws-sdk/client-apigatewayv2';
import { CreateFunctionCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { buildSync } from 'esbuild';
import { zipFolder } from '../../../bin/dev/deploy/zip.ts';
import { localClientConfig } from '../../../bin/dev/local-cloud/aws-client.ts';
import type { PlatformOutputs } from '../../../bin/dev/outputs.ts';
import { bundleOptions } from '../../../lib/bundling/bundle.ts';
import { benchFolder } from '../benchmark.ts';

/** A function that does the least for the same effect. */
export interface BareHandler {
  /** Its source. It should write a line, as the local cloud likes it. */
  readonly code: string;
  /** Such as `GET /bare`. */
  readonly route: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** @returns the id of an API whose only function is the bare handler. */
export async function deployBareHandler(
  { endpoint }: Pick<PlatformOutputs, 'endpoint'>,
  { code, route, variables }: BareHandler,
): Promise<string> {
  const folder = benchFolder();
  try {
    const entry = join(folder, 'handler.ts');
    writeFileSync(entry, code);
    buildSync(bundleOptions([{ name: 'bare', entry }], { outdir: folder }));
    const { FunctionArn } = await new LambdaClient(localClientConfig(endpoint)).send(
      new CreateFunctionCommand({
        FunctionName: 'bench-bare',
        Runtime: 'nodejs24.x',
        Role: 'arn:aws:iam::000000000000:role/bench',
        Handler: 'index.handler',
        MemorySize: 1024,
        Timeout: 29,
        Environment: { Variables: variables },
        Code: { ZipFile: zipFolder(join(folder, 'bare')) },
      }),
    );
    const gateway = new ApiGatewayV2Client(localClientConfig(endpoint));
    const { ApiId } = await gateway.send(
      new CreateApiCommand({ Name: 'bench-bare', ProtocolType: 'HTTP' }),
    );
    const { IntegrationId } = await gateway.send(
      new CreateIntegrationCommand({
        ApiId,
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: FunctionArn,
        PayloadFormatVersion: '2.0',
      }),
    );
    await gateway.send(
      new CreateRouteCommand({
        ApiId,
        RouteKey: route,
        Target: `integrations/${IntegrationId}`,
      }),
    );
    await gateway.send(new CreateStageCommand({ ApiId, StageName: '$default', AutoDeploy: true }));
    if (!ApiId) throw new Error('The local cloud made no API for the bare handler');
    return ApiId;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
