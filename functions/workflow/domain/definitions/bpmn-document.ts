const COMMENT = /<!--[\s\S]*?-->/g;
const ROOT = /<(?:([\w.-]+):)?definitions\b([^>]*)>/;
const NAMESPACE = 'http://www.omg.org/spec/BPMN/20100524/MODEL';

/** Whether a document is a process (BPMN 2.0), by the namespace of its outermost element. */
export function isBpmn(xml: string): boolean {
  const [, prefix, attributes = ''] = ROOT.exec(xml.replace(COMMENT, '')) ?? [];
  const name = prefix === undefined ? 'xmlns' : `xmlns:${prefix}`;
  return attributes
    .split(/\s+/)
    .some((each) => each === `${name}="${NAMESPACE}"` || each === `${name}='${NAMESPACE}'`);
}
