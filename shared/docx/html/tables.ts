import { borderOf, borders, type Css, colourOf, styleAttribute } from './css.ts';
import type { HtmlContext } from './part-context.ts';
import { child, elementsOf, isOn, valOf, type XmlNode } from './xml-tree.ts';

/** A cell at its place in the grid. */
interface Cell {
  readonly node: XmlNode;
  readonly column: number;
  readonly columns: number;
  /** Whether it belongs to the cell above. */
  readonly goesOn: boolean;
}

const MAX_COLUMNS = 200;

/** Writes a table (w:tbl). @param write writes the content of a cell */
export function writeTable(
  table: XmlNode,
  context: HtmlContext,
  write: (cell: XmlNode) => string,
): string {
  const properties = child(table, 'w:tblPr');
  const all = [...context.styles.table(valOf(properties, 'w:tblStyle')), properties];
  const inner = all.map((each) => child(each, 'w:tblBorders')).filter((each) => each !== undefined);
  const rows = inWrappers(table, 'w:tr').filter((row) => !child(row, 'w:trPr', 'w:del'));
  const grid = rows.map(cellsOf);
  const css: Css = new Map();
  for (const each of inner) borders(css, each);
  const alignment = valOf(properties, 'w:jc');
  if (alignment === 'center') css.set('margin', '0 auto');
  const lines = rows.map((row, at) => {
    const cells = (grid[at] ?? [])
      .filter(({ goesOn }) => !goesOn)
      .map((cell) => writeCell(cell, rowsOf(cell, grid, at), inner.at(-1), write));
    return {
      html: `<tr>${cells.join('')}</tr>`,
      isHead: isOn(child(row, 'w:trPr'), 'w:tblHeader'),
    };
  });
  const heads = lines.findIndex(({ isHead }) => !isHead);
  const split = heads < 0 ? 0 : heads;
  const html = (part: typeof lines) => part.map((line) => line.html).join('');
  const head = split > 0 ? `<thead>${html(lines.slice(0, split))}</thead>` : '';
  return `<table${styleAttribute(css)}>${head}<tbody>${html(lines.slice(split))}</tbody></table>`;
}

/** Children of a name, also those in content controls and tracked insertions. */
function inWrappers(node: XmlNode, name: string): XmlNode[] {
  return elementsOf(node).flatMap((each) => {
    if (each.name === name) return [each];
    const isWrapper = /^w:(?:sdt|sdtContent|ins|customXml|moveTo)$/.test(each.name);
    return isWrapper ? inWrappers(each, name) : [];
  });
}

function cellsOf(row: XmlNode): Cell[] {
  let column = Number(valOf(child(row, 'w:trPr'), 'w:gridBefore') ?? 0) || 0;
  return inWrappers(row, 'w:tc').map((node) => {
    const properties = child(node, 'w:tcPr');
    const span = Number(valOf(properties, 'w:gridSpan') ?? 1) || 1;
    const columns = Math.min(Math.max(span, 1), MAX_COLUMNS);
    const merge = child(properties, 'w:vMerge');
    const cell = {
      node,
      column,
      columns,
      goesOn: merge !== undefined && merge.attributes.get('w:val') !== 'restart',
    };
    column += columns;
    return cell;
  });
}

/** How many rows a cell takes: those below whose cell at its column belongs to it. */
function rowsOf({ column }: Cell, grid: readonly (readonly Cell[])[], at: number): number {
  const below = grid.slice(at + 1);
  const end = below.findIndex((cells) => !cells.find((each) => each.column === column)?.goesOn);
  return 1 + (end < 0 ? below.length : end);
}

function writeCell(
  { node, columns }: Cell,
  rows: number,
  ofTable: XmlNode | undefined,
  write: (cell: XmlNode) => string,
): string {
  const properties = child(node, 'w:tcPr');
  const css: Css = new Map();
  const [horizontal, vertical] = [child(ofTable, 'w:insideH'), child(ofTable, 'w:insideV')];
  for (const side of ['top', 'bottom'])
    if (horizontal) css.set(`border-${side}`, borderOf(horizontal));
  for (const side of ['left', 'right']) if (vertical) css.set(`border-${side}`, borderOf(vertical));
  borders(css, child(properties, 'w:tcBorders'));
  const fill = colourOf(child(properties, 'w:shd')?.attributes.get('w:fill'));
  if (fill) css.set('background-color', fill);
  const width = child(properties, 'w:tcW')?.attributes;
  const twips = Number(width?.get('w:w'));
  if (width?.get('w:type') === 'dxa' && twips > 0) css.set('width', `${Math.round(twips / 20)}pt`);
  if (valOf(properties, 'w:vAlign') === 'center') css.set('vertical-align', 'middle');
  if (valOf(properties, 'w:vAlign') === 'bottom') css.set('vertical-align', 'bottom');
  const spans = `${columns > 1 ? ` colspan="${columns}"` : ''}${rows > 1 ? ` rowspan="${rows}"` : ''}`;
  return `<td${spans}${styleAttribute(css)}>${write(node)}</td>`;
}
