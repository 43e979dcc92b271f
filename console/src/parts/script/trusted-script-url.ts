/** The only way by which an address becomes a script of this application: its own hashed files, and nothing else. */
import { serviceAddress } from '../../api/service-address.ts'

type TrustedTypes = {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: (address: string) => string },
  ) => { readonly createScriptURL: (address: string) => string }
}

/** Browsers without Trusted Types take the text. */
const trustedTypes = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes

const createScriptURL = (address: string): string => {
  if (new URL(address, location.href).href.startsWith(`${serviceAddress()}/app/assets/`)) return address
  throw new TypeError(`${address} is no script of this application`)
}

const policy = trustedTypes?.createPolicy('tripfolio', { createScriptURL }) ?? { createScriptURL }

/** @throws TypeError for anything but a built file */
export const trustedScriptUrl = (address: string): string => policy.createScriptURL(address)
