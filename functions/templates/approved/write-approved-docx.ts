import type { Paragraph, Table } from 'docx';
import type { DocxPackage } from '../../../shared/docx/index.ts';
import {
  docxLimits,
  encodeXml,
  openDocx,
  readXml,
  withEntries,
} from '../../../shared/docx/index.ts';
import type { ApprovedBlock, ApprovedContent } from '../../../shared/ports/templates.ts';

type Library = typeof import('docx');

const CORE = 'docProps/core.xml';
const ORDERED = 'ordered';
/** Width of a table, in hundredths of the page's. */
const FULL_WIDTH = 100;
/** What it writes itself is no bomb, however well tables of equal cells are compressed. */
const LIMITS = { ...docxLimits, ratio: Number.POSITIVE_INFINITY };

/** Writes a Word file of what was approved: the same content makes the same file. @throws DocxRefused where it is too large */
export async function writeApprovedDocx(
  content: Pick<ApprovedContent, 'title' | 'blocks' | 'approvedBy' | 'approvedAt'>,
): Promise<DocxPackage> {
  const library = await import('docx');
  const { title, blocks, approvedBy, approvedAt } = content;
  const document = new library.Document({
    ...{ title, creator: approvedBy, lastModifiedBy: approvedBy },
    numbering: { config: [orderedList(library)] },
    sections: [{ children: blocks.flatMap((block, index) => elementsOf(library, block, index)) }],
  });
  const pkg = await openDocx(await library.Packer.toBuffer(document), LIMITS);
  // The library writes the time of the machine.
  const at = encodeXml(new Date(approvedAt).toISOString());
  const core = readXml(pkg, CORE).replace(/(W3CDTF">)[^<]*/g, `$1${at}`);
  return withEntries(pkg, new Map([[CORE, core]]));
}

const orderedList = ({ LevelFormat, AlignmentType }: Library) => ({
  reference: ORDERED,
  levels: [
    {
      ...{ level: 0, format: LevelFormat.DECIMAL, text: '%1.', alignment: AlignmentType.START },
      style: { paragraph: { indent: { left: 720, hanging: 360 } } },
    },
  ],
});

/** @param index place of the block: each ordered list counts for itself */
function elementsOf(library: Library, block: ApprovedBlock, index: number): (Paragraph | Table)[] {
  const { Paragraph: Text, TextRun, HeadingLevel, AlignmentType } = library;
  switch (block.kind) {
    case 'heading':
      return [new Text({ text: block.text, heading: HeadingLevel[`HEADING_${block.level}`] })];
    case 'paragraph': {
      const { align = 'left', runs } = block;
      const alignment = {
        left: 'LEFT',
        center: 'CENTER',
        right: 'RIGHT',
        justify: 'JUSTIFIED',
      } as const;
      const children = runs.map(
        ({ text, bold = false, italic: italics = false, underline = false }) =>
          new TextRun({ text, bold, italics, ...(underline && { underline: {} }) }),
      );
      return [new Text({ children, alignment: AlignmentType[alignment[align]] })];
    }
    case 'list':
      return block.items.map((text) =>
        block.isOrdered
          ? new Text({ text, numbering: { reference: ORDERED, level: 0, instance: index } })
          : new Text({ text, bullet: { level: 0 } }),
      );
    case 'table':
      return [tableOf(library, block)];
    case 'page-break':
      return [new Text({ pageBreakBefore: true })];
  }
}

function tableOf(
  { Table: Grid, TableRow, TableCell, Paragraph: Text, TextRun, WidthType }: Library,
  { rows, hasHeader }: Extract<ApprovedBlock, { kind: 'table' }>,
): Table {
  const columns = Math.max(...rows.map((row) => row.length));
  return new Grid({
    width: { size: FULL_WIDTH, type: WidthType.PERCENTAGE },
    rows: rows.map((row, index) => {
      const isHeader = hasHeader && index === 0;
      const texts = Array.from({ length: columns }, (_, column) => row[column] ?? '');
      return new TableRow({
        tableHeader: isHeader,
        children: texts.map((text) => {
          const run = new TextRun({ text, bold: isHeader });
          return new TableCell({ children: [new Text({ children: [run] })] });
        }),
      });
    }),
  });
}
