import { PDFiumLibrary } from '@hyzyla/pdfium';

let library: Promise<PDFiumLibrary> | undefined;

/** The text of a PDF as a reader finds it, its pages one after the other, every kind of space as a plain one. */
export async function pdfText(pdf: Uint8Array): Promise<string> {
  library ??= PDFiumLibrary.init();
  const opened = await (await library).loadDocument(pdf);
  try {
    return [...opened.pages()]
      .map((page) => page.getText())
      .join('\n')
      .replace(/\s+/g, ' ');
  } finally {
    opened.destroy();
  }
}
