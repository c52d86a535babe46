import type { Page } from '@playwright/test';

const NARROW = { width: 320, height: 640 };

/** Focusable elements whose focus indicator is invisible or nearly so, except in elements of these selectors. */
export async function findHiddenFocus(page: Page, without: string[] = []): Promise<string[]> {
  // Browsers draw focus rings only after a key press.
  await page.keyboard.press('Tab');
  return page.evaluate((without) => {
    const MIN_WIDTH = 2;
    const MIN_CONTRAST = 3;
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

    function channelsOf(color: string): number[] {
      if (!context) throw new Error('no canvas to read colours with');
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    }

    function luminanceOf(color: string): number {
      const [red = 0, green = 0, blue = 0] = channelsOf(color)
        .slice(0, 3)
        .map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    }

    function contrastOf(one: string, other: string): number {
      const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    }

    function backgroundOf(element: Element | null): string {
      for (let at = element; at; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at);
        if (channelsOf(backgroundColor)[3] === 255) return backgroundColor;
      }
      return 'white';
    }

    /** The tile or strip around a radio button or checkbox may draw the focus ring in its place. */
    function outlineOf(element: Element) {
      const surface = element.closest('.option, .logos__tile, .plot__values label');
      const surfaces = [surface, element.closest('.sr-only') ? null : element].flatMap(
        (found) => found ?? [],
      );
      const outlines = surfaces.map((shown) => {
        const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(shown);
        const width = outlineStyle === 'none' ? 0 : Number.parseFloat(outlineWidth);
        return { surface: shown, width, color: outlineColor, look: `${width} ${outlineColor}` };
      });
      const none = { surface: element, width: 0, color: 'transparent', look: 'nothing' };
      return outlines.reduce((widest, one) => (one.width > widest.width ? one : widest), none);
    }

    const faults: string[] = [];
    const start = document.activeElement;
    const selector = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]';
    for (const element of document.querySelectorAll<HTMLElement>(selector)) {
      if (without.some((part) => element.closest(part))) continue;
      const panel = element.closest<HTMLElement>('[popover]');
      if (panel && !element.checkVisibility()) panel.showPopover();
      if (start instanceof HTMLElement) start.blur();
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      const before = outlineOf(element).look;
      element.focus({ preventScroll: true });
      if (document.activeElement !== element || element.tabIndex < 0) continue;
      const { surface, width, color, look } = outlineOf(element);
      const contrast = contrastOf(color, backgroundOf(surface.parentElement));
      if (look === before || width < MIN_WIDTH || contrast < MIN_CONTRAST) {
        faults.push(`invisible focus (${look}, ${contrast.toFixed(1)}): ${element.outerHTML.slice(0, 120)}`);
      }
    }
    for (const panel of document.querySelectorAll<HTMLElement>('[popover]')) panel.hidePopover();
    return faults;
  }, without);
}

/** Touch targets that are too small (WCAG 2.5.8), except links within sentences. */
export function findSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const MIN_PX = 24;
    const faults: string[] = [];
    const controls = 'button, select, textarea, summary, input:not([type=hidden], [tabindex="-1"]), a[href]';
    for (const control of document.querySelectorAll<HTMLInputElement>(controls)) {
      if (!control.checkVisibility() || getComputedStyle(control).display === 'inline') continue;
      if (control.closest('.sr-only')) continue;
      const boxes = [control, ...(control.labels ?? [])].map((part) => part.getBoundingClientRect());
      const width = Math.max(...boxes.map((box) => box.right)) - Math.min(...boxes.map((box) => box.left));
      const height = Math.max(...boxes.map((box) => box.bottom)) - Math.min(...boxes.map((box) => box.top));
      if (Math.min(width, height) < MIN_PX)
        faults.push(
          `a target of ${Math.round(width)} × ${Math.round(height)}: ${control.outerHTML.slice(0, 120)}`,
        );
    }
    return faults;
  });
}

/** Icons that ignore forced colours. Restores the emulated media afterwards. */
export async function findFixedColours(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'active' });
  const fixed = await page.evaluate(() =>
    [...document.querySelectorAll('.icon')]
      .filter(
        (icon) => icon.checkVisibility() && getComputedStyle(icon).stroke !== getComputedStyle(icon).color,
      )
      .map((icon) => `an icon that ignores forced colours: ${icon.parentElement?.outerHTML.slice(0, 120)}`),
  );
  await page.emulateMedia({ forcedColors: null });
  return fixed;
}

/** Content cut off at a width of 320 px with no way to scroll to it. Restores the viewport afterwards. */
export async function findCutOff(page: Page): Promise<string[]> {
  const wide = page.viewportSize();
  await page.setViewportSize(NARROW);
  const faults = await page.evaluate(readCutOff);
  if (wide) await page.setViewportSize(wide);
  return faults;
}

/** Checks every element, because `main` clips overflow and wide content may not widen the page. */
function readCutOff(): string[] {
  const faults: string[] = [];
  const end = document.documentElement.clientWidth + 1;
  if (document.documentElement.scrollWidth >= end) faults.push('the page scrolls sideways');
  const isReachable = (element: Element | null): boolean => {
    if (!element) return false;
    const { overflowX, position } = getComputedStyle(element);
    return /auto|scroll/.test(overflowX) || (position !== 'fixed' && isReachable(element.parentElement));
  };
  for (const row of document.querySelectorAll<HTMLElement>('tbody > tr')) {
    // Skip rows with table layout: only stacked rows must fit, as they have no columns to scroll to.
    if (getComputedStyle(row).display === 'table-row' || row.getBoundingClientRect().right <= end) continue;
    faults.push(`a stacked row is wider than ${end - 1} px: ${row.outerHTML.slice(0, 120)}`);
  }
  for (const element of document.querySelectorAll<HTMLElement>('body *')) {
    const hasText = [...element.childNodes].some((node) => node instanceof Text && node.data.trim());
    if (!hasText && !element.matches('input, select, textarea, button')) continue;
    if (!element.checkVisibility() || element.closest('svg, script, .sr-only, [aria-hidden="true"]'))
      continue;
    const { right, left } = element.getBoundingClientRect();
    if ((right <= end && left >= -1) || isReachable(element)) continue;
    faults.push(`cut off at ${end - 1} px (${Math.round(right)}): ${element.outerHTML.slice(0, 120)}`);
  }
  return faults;
}
