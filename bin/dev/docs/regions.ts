/** Tables by the name of their region: `<!-- table: problems -->` up to `<!-- end of table -->`. */
export type Tables = Readonly<Record<string, string>>;

const REGION = /(<!-- table: ([\w-]+) -->\n)[\s\S]*?(<!-- end of table -->)/g;

/**
 * Writes tables into the marked regions of a text.
 * @throws Error for a region with an unknown table.
 */
export function writeTables(text: string, tables: Tables): string {
  return text.replace(REGION, (_, head: string, name: string, end: string) => {
    const table = tables[name];
    if (table === undefined) throw new Error(`There is no table named ${name}.`);
    return `${head}\n${table}\n\n${end}`;
  });
}
