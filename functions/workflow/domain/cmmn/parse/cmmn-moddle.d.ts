/** The parts of `cmmn-moddle` that are used; the package has no types of its own. */
declare module 'cmmn-moddle' {
  /** An element of the meta-model; attributes and children are properties of it. */
  export interface ModdleElement {
    readonly $type: string;
    readonly $attrs?: Readonly<Record<string, string>>;
    readonly $children?: readonly ModdleElement[];
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

  export interface ModdleWarning {
    readonly message: string;
  }

  export interface ModdleContext {
    readonly references: readonly ModdleReference[];
    readonly warnings: readonly ModdleWarning[];
  }

  export default class CmmnModdle {
    fromXML(
      xml: string,
      typeName: string,
      done: (error: Error | undefined, root: ModdleElement, context?: ModdleContext) => void,
    ): void;
  }
}
