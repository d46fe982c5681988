import { readCodeBase } from './code-base.ts';
import { rules } from './rules.ts';

const code = readCodeBase(new URL('../../..', import.meta.url).pathname);
const broken = rules.flatMap(({ name, wayOut, check }) => {
  const places = check(code);
  return places.length === 0 ? [] : [{ name, wayOut, places }];
});

for (const { name, wayOut, places } of broken) {
  console.error(
    `Architecture: ${name}\n${places.map((place) => `  ${place}\n`).join('')}  ${wayOut}\n`,
  );
}
if (broken.length > 0) process.exitCode = 1;
else
  console.log(
    `Architecture: ${code.size} files keep ${rules.length} rules (docs/architecture.md).`,
  );
