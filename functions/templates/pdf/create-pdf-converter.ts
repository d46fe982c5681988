import type { PdfConverter } from '../../../shared/ports/pdf.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { once } from '../../../shared/primitives/once.ts';
import { engineJob, type PdfEngine } from './engines.ts';
import { type EngineFunction, EnginePdfConverter } from './pdf-converter.ts';

/** What printing needs of a function's context. */
export interface PdfContext {
  readonly config: { readonly template: { readonly pdfConverter: PdfEngine } };
  readonly environment: {
    readonly services: { readonly functions?: Readonly<Record<string, string>> };
  };
  readonly tenantClock: { readonly machine: Clock };
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Prints documents of the stack's bucket by the configured engine. */
export function createPdfConverter(context: PdfContext): PdfConverter {
  const { config, environment, tenantClock, pause = wait } = context;
  const engine = config.template.pdfConverter;
  const functionName = engine === 'none' ? undefined : functionOf(engine, environment.services);
  return new EnginePdfConverter({
    engine,
    engineFunction: functionName === undefined ? undefined : lambdaEngine(functionName),
    clock: tenantClock.machine,
    pause,
  });
}

/** A function that binds a port of this module may have a job of the same name. */
function functionOf(
  engine: Exclude<PdfEngine, 'none'>,
  { functions = {} }: PdfContext['environment']['services'],
): string | undefined {
  const job = engineJob(engine);
  return functions[`templates-${job}`] ?? functions[job];
}

/** The client is loaded with the first document. */
function lambdaEngine(functionName: string): EngineFunction {
  const load = once(async (): Promise<EngineFunction> => {
    const { LambdaEngine } = await import('./lambda-engine.ts');
    return new LambdaEngine(functionName);
  });
  return { invoke: async (call) => (await load()).invoke(call) };
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
