import { PDFiumLibrary } from '@hyzyla/pdfium';

let library: Promise<PDFiumLibrary> | undefined;

/** The extracted text of a PDF, with its pages in order and each run of white space as one space. */
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
