import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { listFiles } from './sources';

/** Attributes that people read or hear. */
const READ_ATTRIBUTES = ['alt', 'aria-description', 'aria-label', 'label', 'placeholder', 'title'];

/** Words that components contain themselves instead of taking them from the texts of a language, with their files. */
export function listWrittenTexts(): string[] {
  return listFiles()
    .filter((file) => /^app\/.*\.tsx$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return textsIn(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)).map(
        (words) => `${file}: ${words}`,
      );
    });
}

function textsIn(node: ts.Node): string[] {
  const own = textOf(node)?.trim() ?? '';
  const inner: string[] = [];
  node.forEachChild((child) => {
    inner.push(...textsIn(child));
  });
  return /\p{L}/u.test(own) ? [own, ...inner] : inner;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isJsxText(node)) return node.text;
  if (ts.isJsxAttribute(node)) return isRead(node) ? literalOf(node.initializer) : undefined;
  return ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent) ? literalOf(node.expression) : undefined;
}

function isRead({ name }: ts.JsxAttribute): boolean {
  return READ_ATTRIBUTES.includes(name.getText());
}

function literalOf(node: ts.Node | undefined): string | undefined {
  if (node && ts.isJsxExpression(node)) return literalOf(node.expression);
  return node && ts.isStringLiteralLike(node) ? node.text : undefined;
}
