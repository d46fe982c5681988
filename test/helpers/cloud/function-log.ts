import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { cloud } from './cloud.ts';

/** Everything a module's function has logged so far, line by line. */
export async function functionLog(module: string): Promise<readonly string[]> {
  const FunctionName = cloud.outputs.functions[module] ?? '';
  const lambda = new LambdaClient(cloud.awsClientConfig());
  const logs = new CloudWatchLogsClient(cloud.awsClientConfig());
  const { LoggingConfig } = await lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName }),
  );
  const logGroupName = LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`;
  const lines: string[] = [];
  let nextToken: string | undefined;
  do {
    const page = await logs.send(new FilterLogEventsCommand({ logGroupName, nextToken }));
    lines.push(...(page.events ?? []).map(({ message = '' }) => message));
    nextToken = page.nextToken;
  } while (nextToken);
  return lines;
}
