/** The parts of `cmmn-moddle` that are used; the package has no types of its own. */
declare module 'cmmn-moddle' {
  /** An element of the meta-model; attributes and children are properties of it. */
  export interface ModdleElement {
    readonly $type: string;
    readonly $attrs?: Readonly<Record<string, string>>;
    readonly $children?: readonly ModdleElement[];
    readonly $parent?: ModdleElement;
    readonly $body?: string;
    readonly id?: string;
    readonly [property: string]: unknown;
  }

  /** A reference by id, resolved or not. */
  export interface ModdleReference {
    readonly element: ModdleElement;
    readonly property: string;
    readonly id: string;
  }

  /** Something in the text that could not be read; an unknown attribute names its element. */
  export interface ModdleWarning {
    readonly message: string;
    readonly error?: Error;
    readonly element?: ModdleElement;
    readonly property?: string;
  }

  export interface ModdleContext {
    readonly references: readonly ModdleReference[];
    readonly warnings: readonly ModdleWarning[];
    elementsById: Record<string, ModdleElement>;
    addWarning(warning: ModdleWarning): void;
    addReference(reference: ModdleReference): void;
  }

  /** Reads one element and what is in it. */
  export interface ModdleHandler {
    context: ModdleContext;
  }

  /** Takes the place of the reader's own methods. */
  export interface ReaderOptions {
    handler?(typeName: string): ModdleHandler;
  }

  export default class CmmnModdle {
    fromXML(
      xml: string,
      typeName: string,
      options: ReaderOptions,
      done: (error: Error | undefined, root: ModdleElement, context?: ModdleContext) => void,
    ): void;
  }
}
