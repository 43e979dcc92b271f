/** Keeps the tokens of the text in the editor's state, so that all that needs them reads the text once. */
import { StateField } from '@codemirror/state'
import { type ScannedScript, scanScript } from './scan-script.ts'

export const scannedField = StateField.define<ScannedScript>({
  create: (state) => scanScript(state.doc.toString()),
  update: (scanned, transaction) =>
    transaction.docChanged ? scanScript(transaction.newDoc.toString()) : scanned,
})
