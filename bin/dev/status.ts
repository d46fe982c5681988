import { GetQueueAttributesCommand, paginateListQueues, SQSClient } from '@aws-sdk/client-sqs';
import { StackDeployer } from './deploy/update-stack.ts';
import { localClientConfig } from './local-cloud/aws-client.ts';
import { ownCloudPaths } from './local-cloud/ensure.ts';
import { cloudHealth } from './local-cloud/health.ts';
import { findRunningCloud } from './local-cloud/start.ts';
import { readOutputs } from './outputs.ts';
import { paint, runCommand, say } from './terminal/output.ts';

await runCommand(async () => {
  const outputs = readOutputs();
  const endpoint = outputs?.endpoint ?? (await findRunningCloud(ownCloudPaths))?.endpoint;
  const health = endpoint ? await cloudHealth(endpoint) : undefined;
  line(
    'Platform',
    outputs ? `${outputs.baseUrl} (process ${outputs.pid})` : 'not running: npm start',
  );
  line('Local cloud', health ? `version ${health.version} at ${endpoint}` : 'not running');
  if (!outputs || !endpoint || !health) return;
  const answer = await fetch(`${outputs.baseUrl}/api/v1/health`).then(
    async (response) => `${response.status} ${await response.text()}`,
    (error: unknown) => String(error),
  );
  line('Health', answer);
  await printStack(endpoint, outputs.stackName);
  for (const [module, functionName] of Object.entries(outputs.functions)) {
    line('Function', `${module} = ${functionName}`);
  }
  await printQueues(endpoint);
});

async function printStack(endpoint: string, stackName: string): Promise<void> {
  const stacks = new StackDeployer(endpoint);
  const stack = await stacks.read(stackName);
  line('Stack', `${stackName}: ${stack ? `${stack.resources.length} resources` : 'not deployed'}`);
  stacks.close();
}

async function printQueues(endpoint: string): Promise<void> {
  const client = new SQSClient(localClientConfig(endpoint));
  for await (const { QueueUrls = [] } of paginateListQueues({ client }, { MaxResults: 1000 })) {
    for (const QueueUrl of QueueUrls) {
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: ['ApproximateNumberOfMessages'],
        }),
      );
      const waiting = Attributes?.ApproximateNumberOfMessages ?? '?';
      line('Queue', `${QueueUrl.split('/').at(-1)}: ${waiting} waiting`);
    }
  }
  client.destroy();
}

function line(label: string, text: string): void {
  say(`${paint('bold', label.padEnd(12))} ${text}`);
}
