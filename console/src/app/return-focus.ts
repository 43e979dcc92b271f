/**
 * Gives the focus a place when what had it is removed: after a dialog or a menu, where it was before; else, as when a row has
 * opened another page, the heading of the page. Dialogs of the library do so only when they stay in the page after closing.
 */
type Focused = { readonly element: HTMLElement; readonly isFloating: boolean }

/** Enough for dialogs that open from menus of dialogs. */
const MOST_KEPT = 20

export function returnFocus(): void {
  /** The latest first. */
  let kept: readonly Focused[] = []
  document.addEventListener('focusin', ({ target: element }) => {
    if (!(element instanceof HTMLElement)) return
    const isFloating = element.closest('[role=dialog], [role=menu]') !== null
    const others = kept.filter((one) => one.element !== element)
    kept = [{ element, isFloating }, ...others].slice(0, MOST_KEPT)
  })
  const watch = () => {
    if (document.activeElement !== document.body || kept[0]?.element.isConnected !== false) return
    const before = kept.find(({ element, isFloating }) => element.isConnected || !isFloating)?.element
    const place = before?.isConnected ? before : document.querySelector<HTMLElement>('#content h1')
    place?.focus({ preventScroll: true })
  }
  new MutationObserver(watch).observe(document.body, { childList: true, subtree: true })
}
