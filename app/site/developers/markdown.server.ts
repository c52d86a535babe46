import type { Block, DevelopersText } from './sections';

/** The text of a page for developers as Markdown. */
export function markdownResponse({ title, lead, sections }: DevelopersText): Response {
  const parts = sections.flatMap((section) => [`## ${section.title}`, ...section.blocks.map(markdownOf)]);
  return new Response(`${[`# ${title}`, lead, ...parts].join('\n\n')}\n`, {
    headers: {
      'Content-Type': 'text/markdown; charset=utf-8',
      'Cache-Control': 'no-cache',
      Vary: 'Cookie, Accept-Language',
    },
  });
}

function markdownOf(block: Block): string {
  if ('text' in block) return block.text;
  if ('code' in block) return `${block.name}:\n\n\`\`\`${block.language}\n${block.code}\n\`\`\``;
  const rows = [block.columns, block.columns.map(() => '---'), ...block.rows.map(namedRow)];
  return `${block.caption}:\n\n${rows.map((row) => `| ${row.map(escaped).join(' | ')} |`).join('\n')}`;
}

function namedRow([name = '', ...cells]: string[]): string[] {
  return [`\`${name}\``, ...cells];
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|');
}
