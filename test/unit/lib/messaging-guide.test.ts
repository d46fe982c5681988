import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { distributedTopicsOf } from '../../../lib/listener-wiring.ts';
import { platformModules } from '../../../lib/modules.ts';
import { standaloneTemplate } from './synthesise.ts';

const text = readFileSync(new URL('../../../docs/messaging.md', import.meta.url), 'utf8');

/** What a sentence lists in code, up to the words that follow the list. */
const listedBefore = (words: string): string[] => {
  const sentence = text.slice(0, text.indexOf(words)).split(/\.\s/).at(-1) ?? '';
  return [...sentence.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
};

describe('the guide of messaging', () => {
  it('names every topic that always uses the bus, and no other', () => {
    const listed = listedBefore('of your modules always use the bus');

    expect(listed.filter((name) => name !== 'distributedTopics').sort()).toEqual(
      [...distributedTopicsOf(platformModules)].sort(),
    );
  });

  it('names every metric of messages that an alarm looks at', () => {
    const metrics = [true, false].flatMap((isRelayed) =>
      Object.values(
        standaloneTemplate({
          stage: 'dev',
          config: { 'mq.relay.enabled': isRelayed },
        }).findResources('AWS::CloudWatch::Alarm'),
      ).flatMap(({ Properties: { Namespace, MetricName } }) =>
        Namespace === 'svc-cloud' && /^(Outbox|Relay|Consumer)/.test(MetricName)
          ? [String(MetricName)]
          : [],
      ),
    );

    for (const name of new Set(metrics)) expect(text).toContain(`\`${name}\``);
  });
});
