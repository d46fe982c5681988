import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { environmentFindings } from '../../../../lib/functions/environment-size.ts';
import type { ModuleDeclaration } from '../../../../shared/module/declaration.ts';
import { aModule, platformStack, stackOf, standaloneApp } from '../synthesise.ts';

const listeners = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    topic: `warehouse.stock-level-changed.${index}`,
    group: `stock-${index}`,
    ordered: true,
  }));

const variablesOf = (stack: ReturnType<typeof stackOf>): Record<string, unknown>[] =>
  Object.values(Template.fromStack(stack).findResources('AWS::Lambda::Function')).map(
    ({ Properties }) => Properties.Environment.Variables,
  );

const synthesise = (...modules: ModuleDeclaration[]) => variablesOf(stackOf(modules));

describe('the environment of a function', () => {
  it('stops the synthesis above 4 KB: which function, what is large, and what to do', () => {
    const stack = () => synthesise(aModule({ name: 'stock', listeners: listeners(40) }));

    expect(stack).toThrow(
      /ENVIRONMENT_TOO_LARGE: the environment variables of the function stock take up to \d+ bytes, Lambda allows 4096; the largest are SVC_MESSAGING \(\d+\), .*For SVC_MESSAGING: declare fewer ordered topics/,
    );
  });

  it('is measured as Lambda measures it: as the text of one JSON object with the names that CloudFormation makes', () => {
    const stack = stackOf([aModule({ name: 'stock' })]);
    const { functions } = stack.platform;
    const pad = (length: number) => {
      functions.get('stock')?.function.addEnvironment('PAD', '"'.repeat(length));
      return environmentFindings(functions);
    };
    const most = Array.from({ length: 2_048 }, (_, length) => length).findLastIndex(
      (length) => pad(length).length === 0,
    );
    pad(most);
    const [variables = {}] = variablesOf(stack);
    const deployed = Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : `Platform-${(value as { Ref: string }).Ref}-1234567890AB`,
    ]);

    const bytes = JSON.stringify(Object.fromEntries(deployed)).length;
    expect(bytes).toBeLessThanOrEqual(4_096);
    expect(bytes).toBeGreaterThan(4_096 - 32);
    expect(pad(most + 1)).toHaveLength(1);
  });

  it('counts what an application adds behind the construct', () => {
    const stack = stackOf([aModule({ name: 'stock' })]);
    const { functions } = stack.platform;
    functions.get('stock')?.function.addEnvironment('OWN', 'ö'.repeat(2_000));

    expect(() => variablesOf(stack)).toThrow(/function stock .* OWN \(4002\).*For OWN: shorten/);
  });

  it('of the standalone app fits with room for names that CloudFormation makes', () => {
    expect(() => Template.fromStack(platformStack(standaloneApp({ stage: 'dev' })))).not.toThrow();
  });
});
