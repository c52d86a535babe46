import type { Page } from '@playwright/test';

/** Fields for personal data, matched by the end of their id, and the `autocomplete` value they must have. */
const PURPOSES: [id: RegExp, autocomplete: RegExp][] = [
  [/(?<!create)-email$/, /^(?:email|username)\b/],
  [/(?:order|declaration)-name$/, /^name$/],
  [/-first_?name$/i, /^given-name$/],
  [/-last_?name$/i, /^family-name$/],
  [/-currentPassword$/, /^current-password$/],
  [/-newPassword$/, /^new-password$/],
  [/(?<!filter)-code$/, /^one-time-code$/],
  [/(?:order-address|-street)$/, /\baddress-line1$/],
  [/-(?:zip_code|postal_code)$/, /\bpostal-code$/],
  [/-city$/, /\baddress-level2$/],
  [/-country$/, /\bcountry$/],
  [/-company(?:_name)?$/, /\borganization$/],
];

/** Fields that are required only in some cases, depending on the country or the sign-in method. */
const CONDITIONAL = /-(?:zip_code|postal_code|currentPassword|givenName|appStore|startTime|endTime)$/;

/** Faults in the forms of a page, such as unannounced errors or fields with a wrong `autocomplete`. */
export async function findFormFaults(page: Page): Promise<string[]> {
  const { faults, fields } = await page.evaluate((conditional) => {
    const faults: string[] = [];
    const all = (selector: string) => [...document.querySelectorAll<HTMLInputElement>(selector)];
    const complain = (what: string, element: Element) =>
      faults.push(`${what}: ${element.outerHTML.slice(0, 160)}`);
    const notesOf = (element: Element | null) =>
      (element?.getAttribute('aria-describedby') ?? '')
        .split(/\s+/)
        .flatMap((id) => document.getElementById(id) ?? []);

    const described = new Set(all('[aria-describedby]').flatMap((element) => notesOf(element)));
    for (const error of all('.field-error')) {
      if (!described.has(error)) complain('an error that no field refers to', error);
    }
    for (const field of all('[aria-invalid="true"]')) {
      const notes = [...notesOf(field), ...notesOf(field.closest('fieldset'))];
      if (!notes.some((note) => note.matches('.field-error')))
        complain('an invalid field without an error', field);
      const isEmpty = field.matches('[type=checkbox], [type=radio]') ? !field.checked : !field.value;
      const isOptional = new RegExp(conditional).test(field.id);
      if (isEmpty && !field.required && !isOptional)
        complain('a field that must not be empty but is not marked required', field);
    }
    for (const link of document.querySelectorAll<HTMLAnchorElement>('.error-summary a')) {
      const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (!target?.matches('input, select, textarea')) complain('an error link without a target field', link);
    }
    for (const element of all('[autofocus]')) {
      if (!element.matches('.error-summary')) complain('unwanted autofocus', element);
    }
    const inputs = all('input:not([type=hidden], [type=checkbox], [type=radio], [type=search]), select');
    const fields = inputs.map(({ id, autocomplete }) => ({ id, autocomplete }));
    return { faults, fields };
  }, CONDITIONAL.source);
  for (const { id, autocomplete } of fields) {
    const [, purpose] = PURPOSES.find(([end]) => end.test(id)) ?? [];
    if (purpose && !purpose.test(autocomplete)) faults.push(`wrong autocomplete: ${id} (${autocomplete})`);
  }
  return faults;
}

/** Faults in the accessible names and the markup of a page's elements. */
export function findStructureFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const all = (selector: string, root: ParentNode = document) => [...root.querySelectorAll(selector)];
    const complain = (what: string, element: Element) =>
      faults.push(`${what}: ${element.outerHTML.slice(0, 160)}`);
    const nameOf = (element: Element) =>
      (element.getAttribute('aria-label') ?? element.textContent ?? '').replace(/\s+/g, ' ').trim();

    /** Identifies the list item or table row that contains an element. */
    const rowOf = (element: Element) => `row ${all('li, tr').indexOf(element.closest('li, tr') ?? element)}`;

    for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')) {
      if (!document.getElementById(decodeURIComponent(link.hash.slice(1))))
        complain('a link to a missing fragment', link);
    }

    const places = 'table, form, figure, details, nav, dialog, section, header, footer, main';
    const seen = new Map<Element | null, Map<string, string>>();
    for (const target of all('a[href], button')) {
      const goal = target instanceof HTMLAnchorElement ? target.pathname + target.search : rowOf(target);
      const place = target.closest(target.matches('a') ? places : 'ul:has(form), table');
      const goals = seen.get(place) ?? new Map<string, string>();
      seen.set(place, goals);
      const name = nameOf(target);
      if (place && (goals.get(name) ?? goal) !== goal) complain('one name for two targets', target);
      goals.set(name, goal);
    }

    for (const table of all('table')) {
      const caption =
        table.querySelector('caption') ??
        document.getElementById(table.getAttribute('aria-labelledby') ?? '');
      if (!caption?.textContent?.trim()) complain('a table without a caption', table);
      for (const cell of all('th:not([scope])', table)) complain('a header cell without a scope', cell);
      for (const row of all('tbody tr', table)) {
        if (!row.querySelector('th[scope=row]')) complain('a row without a header', row);
      }
    }
    for (const figure of all('.chart:has(.plot)')) {
      if (!figure.querySelector('table')) complain('a chart without its table', figure);
      const fills = all('.swatch .series:not(.unfinished)', figure).map((swatch) =>
        swatch.getAttribute('fill'),
      );
      if (new Set(fills).size < fills.length) complain('series distinguished by colour only', figure);
    }

    for (const link of document.querySelectorAll<HTMLAnchorElement>(
      '.site-header nav a, .pagination a, .choices a',
    )) {
      const isHere = link.pathname === location.pathname && (!link.search || link.search === location.search);
      const isPager = link.matches('.step');
      if (isHere && !isPager && !link.hasAttribute('aria-current'))
        complain('a link to the current page without aria-current', link);
    }
    for (const button of document.querySelectorAll<HTMLButtonElement>('button[name=lng]')) {
      if (!button.lang) complain('a language button without a lang attribute', button);
    }

    // React keeps the event handlers of an element in its props.
    const native = 'a[href], button, input, select, textarea, summary, label, dialog';
    for (const element of all('body *')) {
      const key = Object.keys(element).find((name) => name.startsWith('__reactProps$'));
      const props = (element as unknown as Record<string, { onClick?: unknown }>)[key ?? ''];
      if (props?.onClick && !element.matches(native))
        complain('a click handler on an element that is no control', element);
    }
    return faults;
  });
}
