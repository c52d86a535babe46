import type { Page } from '@playwright/test';

/**
 * Faults of a page that is read without style sheets, as in text browsers: nothing is hidden there, not even
 * by the `hidden` attribute, and only white space, block elements and line breaks separate words.
 */
export function findTextFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // Only the block elements that text browsers know; they treat newer ones as inline.
    const blocks =
      'blockquote,body,br,caption,dd,div,dl,dt,fieldset,form,h1,h2,h3,h4,h5,h6,hr,legend,li,ol,p,pre,table,tbody,td,tfoot,th,thead,tr,ul';
    const unread = 'script,style,template,option,textarea,head';
    const controls = 'input,select,textarea';
    const faults: string[] = [];
    let before = '';
    let last = '';
    let line = '';
    let lineBefore = '';

    function endLine(): void {
      const words = line.trim();
      if (words === lineBefore && words.split(/\s+/).length > 2) faults.push(`read twice: ${words}`);
      if (words) lineBefore = words;
      line = before = '';
    }

    /** A break that is offered, by `wbr`, is within a word. */
    function readText(text: string, isWithinWord: boolean): void {
      const words = text.trim();
      line += text;
      if (words) {
        const isApart = /\s$/.test(before) || /^\s/.test(text);
        const isJoined = /[\p{Ps}\p{Pi}]$/u.test(before) || /^[\p{Pe}\p{Pf}.,;:!?]/u.test(text);
        if (before && !isApart && !isJoined && !isWithinWord)
          faults.push(`words run together: ${last.slice(-30)}|${words.slice(0, 30)}`);
        last = words;
      }
      if (text) before = words ? text : `${before} `;
    }

    function read(element: Element): void {
      if (element.matches(unread)) return;
      const isApart = element.matches(`${blocks},${controls}`);
      if (isApart) endLine();
      for (const child of element.childNodes) {
        if (child instanceof Element) read(child);
        else if (child instanceof Text) readText(child.data, child.previousSibling?.nodeName === 'WBR');
      }
      if (isApart) endLine();
    }

    /** An `aria-label` or a label without text does not count, as text browsers show neither. */
    function isNamed(control: Element): boolean {
      const { labels } = control as HTMLInputElement;
      return [...(labels ?? [])].some((label) => label.textContent?.trim());
    }

    read(document.body);
    for (const control of document.querySelectorAll(controls)) {
      const type = control.getAttribute('type') ?? '';
      if (['hidden', 'submit', 'image', 'button'].includes(type) || isNamed(control)) continue;
      faults.push(`a field without a label: ${control.outerHTML.slice(0, 120)}`);
    }
    // A hidden button without a text is shown by no browser, not even by those that ignore the attribute.
    for (const target of document.querySelectorAll('a[href], button:not([hidden])')) {
      const image = target.querySelector('img');
      if (target.textContent?.trim() || image?.alt) continue;
      faults.push(`nothing to read: ${target.outerHTML.slice(0, 120)}`);
    }
    for (const status of document.querySelectorAll('[role=status], [role=alert]')) {
      const text = status.textContent?.trim();
      if (text) faults.push(`a message before anything happened: ${text}`);
    }
    return faults;
  });
}
