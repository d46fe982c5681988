/** The part of `bpmn-moddle` that is used; the package has no types of its own. */
declare module 'bpmn-moddle' {
  /** A document as the meta-model sees it. */
  export interface ModdleContext {
    readonly warnings: readonly { readonly message: string }[];
  }

  export default class BpmnModdle {
    /** @throws Error when the text is not well-formed */
    fromXML(xml: string): Promise<ModdleContext>;
  }
}
