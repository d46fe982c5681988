import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { readHostListeners } from '../../../../lib/bundling/host-listeners.ts';
import { packageRoot } from '../../../../lib/bundling/package-files.ts';
import { readGrants } from '../../../helpers/grants/policy-grants.ts';
import {
  aModule,
  plain,
  platformStack,
  stackOf,
  standaloneApp,
  standaloneTemplate,
  temporaryFolder,
} from '../synthesise.ts';

/** A host file with listeners, as an application writes it. */
function aHost(listeners: string): string {
  const file = join(temporaryFolder(), 'host.ts');
  writeFileSync(
    file,
    `import { brokerListener, defineHost, messageListener } from '${packageRoot}/shared/host/index.ts';
     const handle = async () => {};
     export default defineHost({ listeners: [${listeners}] });`,
  );
  return file;
}

const orders = `messageListener({ topic: 'order.placed', group: 'billing', batchSize: 5 }, handle)`;
const stock = `messageListener({ topic: 'stock.moved', group: 'stock', ordered: true }, handle)`;
const broker = `brokerListener({ topics: ['a', 'b'], groupId: 'audit', messageId: '$.payload.id' }, handle)`;

const withHost = (listeners: string, config = {}) =>
  standaloneTemplate({ stage: 'dev', hostEntry: aHost(listeners), config });

describe('the listeners of a host', () => {
  it('are read from the file that the functions are bundled with', () => {
    expect(readHostListeners(aHost(`${orders}, ${broker}`))).toMatchObject([
      { topic: 'order.placed', group: 'billing', batchSize: 5 },
      { topic: 'a', group: 'audit' },
      { topic: 'b', group: 'audit' },
    ]);
  });

  it('get one queue for each group, whatever number of topics it has', () => {
    const template = withHost(`${orders}, ${broker}`);

    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { 'detail-type': ['a', 'b'] },
    });
    template.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: Match.stringLikeRegexp('--audit$'),
    });
    template.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: Match.stringLikeRegexp('--audit-dead$'),
    });
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 5,
      FunctionName: { Ref: Match.stringLikeRegexp('messaging') },
    });
  });

  it('on an ordered topic read from a FIFO queue that publishers send to without the bus', () => {
    const template = withHost(stock);
    const variables = Object.values(template.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.Environment.Variables,
    );

    template.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: Match.stringLikeRegexp('--stock\\.fifo$'),
      FifoQueue: true,
      FifoThroughputLimit: 'perMessageGroupId',
      DeduplicationScope: 'messageGroup',
    });
    expect(JSON.stringify(template.findResources('AWS::Events::Rule'))).not.toContain(
      'stock.moved',
    );
    for (const { SVC_MESSAGING } of variables) {
      expect(JSON.stringify(SVC_MESSAGING)).toMatch(/stock\.moved.*--stock\.fifo/);
    }
  });

  it('get no queue with the transport spring', () => {
    const template = withHost(orders, { 'mq.transport': 'spring' });

    expect(JSON.stringify(template.findResources('AWS::SQS::Queue'))).not.toContain('billing');
  });

  it.each([
    ['broker', ['messaging']],
    ['spring', ['entities', 'messaging', 'settings', 'templates', 'workflow']],
  ])('with the transport %s reach the items of the host from %j', (transport, functions) => {
    const granted = readGrants(plain(withHost(orders, { 'mq.transport': transport })))
      .filter(({ leadingKeys = [] }) => leadingKeys.includes('HOST#*'))
      .map(({ module }) => module);

    expect([...new Set(granted)].sort()).toEqual(functions);
  });

  it('leave the items of the host alone when there are none', () => {
    const grants = readGrants(plain(standaloneTemplate({ stage: 'dev' })));

    expect(JSON.stringify(grants)).not.toContain('HOST#');
  });

  it('are known to the messaging function that dispatches to them', () => {
    const template = withHost(orders, { 'mq.broker-restful-enabled': true });
    const [messaging] = Object.values(template.findResources('AWS::Lambda::Function')).filter(
      ({ Properties }) => Properties.Environment.Variables.SVC_MODULE === 'messaging',
    );

    expect(JSON.stringify(messaging?.Properties.Environment.Variables.SVC_MESSAGING)).toMatch(
      /order\.placed.*billing.*iam-config-refresh|iam-config-refresh.*order\.placed.*billing/,
    );
  });

  it.each([
    [`${orders}, ${orders}`, 'MQ_LISTENER_TWICE'],
    [
      `brokerListener({ topics: 'a', groupId: 'g' } as never, handle)`,
      'MQ_LISTENER_MESSAGE_ID_REQUIRED',
    ],
    [`messageListener({ topic: 'a', group: 'g h' }, handle)`, 'MQ_LISTENER_INVALID'],
    [
      `messageListener({ topic: 'a', group: 'svc-cloud-config' }, handle)`,
      'share the consumer group',
    ],
  ])('that are wrong stop the synthesis: %s', (listeners, problem) => {
    expect(() => withHost(listeners)).toThrow(problem);
  });
});

describe('a listener of a module with the transport spring', () => {
  it('is warned of: it hears only its own function', () => {
    const listeners = [{ topic: 'order.placed', group: 'billing' }];
    const stack = stackOf([aModule({ listeners })], { config: { 'mq.transport': 'spring' } });

    Annotations.fromStack(stack).hasWarning('*', Match.stringLikeRegexp('hears order.placed only'));
  });
});

describe('the standalone app', () => {
  const withIssuer = {
    'security.issuers': [{ issuer: 'https://login.example', audience: 'svc-cloud' }],
  };

  it('has no warning of its own but that somebody has to issue tokens', () => {
    const stack = platformStack(standaloneApp({ stage: 'dev', config: withIssuer }));
    const without = platformStack(standaloneApp({ stage: 'dev' }));

    expect(Template.fromStack(stack).findResources('AWS::Lambda::Function')).toBeDefined();
    expect(Annotations.fromStack(stack).findWarning('*', Match.anyValue())).toEqual([]);
    Annotations.fromStack(without).hasWarning('*', Match.stringLikeRegexp('svc.security.issuers'));
  });
});

describe('a wrong hostEntry', () => {
  const written = (text: string) => {
    const file = join(temporaryFolder(), 'host.ts');
    writeFileSync(file, text);
    return file;
  };

  it.each([
    [
      'that does not exist',
      () => '/nowhere/host.ts',
      'does not exist (looked for /nowhere/host.ts).',
    ],
    [
      'that does not compile',
      () => written("import { defineHost } from './missing.ts';\nexport default defineHost({});"),
      'does not compile: Could not resolve "./missing.ts" (',
    ],
    [
      'without a host',
      () => written('export const host = {};'),
      'has no host: write "export default defineHost({ ... })".',
    ],
  ])('%s is told in one sentence', (_, file, reason) => {
    const hostEntry = file();

    const synth = () => standaloneTemplate({ stage: 'dev', hostEntry });

    expect(synth).toThrow(`hostEntry ${hostEntry} ${reason}`);
    expect(synth).toThrow(expect.objectContaining({ stack: expect.not.stringContaining('\n') }));
  });
});
