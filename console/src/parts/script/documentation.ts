/** The documentation of functions and members, as elements for tooltips. All of it is text. */
import { type FunctionSignature, signatureText } from './signatures.ts'

export const documentationOf = (signature: FunctionSignature): HTMLElement =>
  block(`${signatureText(signature)} → ${signature.returns}`, signature.about, signature.category)

export const memberDocumentation = (name: string, about: string): HTMLElement => block(name, about)

function block(head: string, about: string, category?: string): HTMLElement {
  const element = document.createElement('div')
  element.className = 'tf-documentation'
  element.append(part('code', head))
  for (const [index, text] of about.split('`').entries()) {
    element.append(index % 2 === 0 ? text : part('code', text))
  }
  if (category !== undefined) element.append(part('small', category))
  return element
}

function part(name: 'code' | 'small', text: string): HTMLElement {
  const element = document.createElement(name)
  element.textContent = text
  return element
}
