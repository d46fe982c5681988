import { shown } from '../../cmmn/basics/cmmn-error.ts';
import type { JsonValue, Variables } from '../../cmmn/basics/json.ts';
import { toText } from '../../cmmn/expression/coercion.ts';
import { type Expression, evaluateExpression, toJson } from '../../cmmn/expression/expression.ts';
import { ExpressionError } from '../../cmmn/expression/expression-error.ts';
import { HostObject, type Value } from '../../cmmn/expression/host-object.ts';
import type { ExpressionScope } from '../../cmmn/expression/scope.ts';
import { ProcessError } from '../model/process-error.ts';

/** What expressions of a process can say of its instance. */
export interface InstanceFacts {
  readonly id: string;
  readonly processKey: string;
  readonly businessKey?: string | undefined;
  readonly tenantCode: string;
  readonly startedBy?: string | undefined;
}

/** Where expressions are evaluated. */
export interface Surroundings {
  readonly variables: () => Variables;
  readonly set: (name: string, value: JsonValue) => void;
  readonly facts: InstanceFacts;
  readonly at: string;
}

/** Steps that all expressions of one command take together. */
const MAX_STEPS = 20_000_000;

/** Evaluates the expressions of a command. */
export class Expressions {
  readonly #around: Surroundings;
  readonly #parsed = new Map<string, Expression>();
  #steps = 0;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** @param locals of an instance of a multi-instance activity. @throws ProcessError `EXPRESSION_ERROR` */
  value(expression: Expression, elementId: string, locals: Variables = {}): JsonValue {
    try {
      return toJson(evaluateExpression(expression, this.#scope(locals)));
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      const { text } = expression;
      const message = `The expression ${shown(text)} of ${elementId} has failed: ${error.message}.`;
      throw new ProcessError('EXPRESSION_ERROR', message, { elementId, expression: shown(text) });
    }
  }

  /** The value of an expression as text; empty: `undefined`. */
  text(
    expression: Expression | undefined,
    elementId: string,
    locals?: Variables,
  ): string | undefined {
    if (!expression) return undefined;
    const text = toText(this.value(expression, elementId, locals));
    return text === '' ? undefined : text;
  }

  /** The value of a text as the engine gives it: of one without an expression the text itself. */
  template(text: string, elementId: string, locals?: Variables): JsonValue {
    const isFeel = text.startsWith('=');
    if (!isFeel && !/[$#]\{/.test(text)) return text;
    const known = this.#parsed.get(text);
    const expression: Expression =
      known ?? (isFeel ? { text: text.slice(1), language: 'feel' } : { text, language: 'juel' });
    this.#parsed.set(text, expression);
    return this.value(expression, elementId, locals);
  }

  #scope(locals: Variables): ExpressionScope {
    const { variables, at } = this.#around;
    const all = (): Variables => ({ ...variables(), ...locals });
    const variable = (name: string): JsonValue | undefined => {
      if (Object.hasOwn(locals, name)) return locals[name];
      const own = variables();
      return Object.hasOwn(own, name) ? own[name] : undefined;
    };
    return {
      at,
      variables: all,
      variable,
      resolve: (name) => (name === 'execution' ? this.#execution(variable) : variable(name)),
      call: () => undefined,
      spend: (steps) => {
        this.#steps += steps;
        if (this.#steps > MAX_STEPS) {
          throw new ProcessError('ENGINE_LOOP', 'The expressions take too many steps.');
        }
      },
    };
  }

  /** The instance, as models of other engines know it. */
  #execution(variable: (name: string) => JsonValue | undefined): HostObject {
    const { facts, set } = this.#around;
    return new HostObject(
      {
        id: () => facts.id,
        processInstanceId: () => facts.id,
        processInstanceBusinessKey: () => facts.businessKey ?? null,
        businessKey: () => facts.businessKey ?? null,
        processDefinitionKey: () => facts.processKey,
        tenantId: () => facts.tenantCode,
        startUserId: () => facts.startedBy ?? null,
      },
      {
        getVariable: (name: Value) => variable(toText(name)) ?? null,
        hasVariable: (name: Value) => variable(toText(name)) !== undefined,
        setVariable: (name: Value, value: Value) => {
          set(toText(name), toJson(value));
          return null;
        },
      },
    );
  }
}
