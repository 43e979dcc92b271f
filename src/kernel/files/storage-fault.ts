/**
 * Turns error codes of the file system into a reason and a next step for the operator: a full disk must not look like damaged
 * data or a defect. Error texts of libraries are mapped to these codes where the libraries are used.
 */

export type StorageFault = {
  /** The system's code, such as `ENOSPC`. */
  readonly code: string
  readonly reason: string
  readonly hint: string
}

const FREE_SPACE = 'Free some space on that file system (df -h shows how full it is), then try again.'

const faults: Readonly<Record<string, Omit<StorageFault, 'code'>>> = {
  ENOSPC: { reason: 'no space is left on the file system', hint: FREE_SPACE },
  EDQUOT: {
    reason: "this user's quota on the file system is used up",
    hint: 'Free some space or raise the quota (quota -s shows it), then try again.',
  },
  EROFS: {
    reason: 'the file system is read-only',
    hint: 'Mount it for writing; a file system that became read-only by itself may have a failing disk (see dmesg).',
  },
  EACCES: {
    reason: 'this user may not write there',
    hint: 'Give the user of the service the right to write there, or choose another folder with --data.',
  },
  EPERM: {
    reason: 'the system does not permit it',
    hint: 'Check owner and attributes of the file (ls -l, lsattr), or choose another folder with --data.',
  },
  EFBIG: {
    reason: 'the file would be larger than the limit of the file system or of this process',
    hint: 'Raise the limit of file sizes (ulimit -f), then try again.',
  },
  EIO: {
    reason: 'the disk reports an error',
    hint: 'Check the disk (see dmesg), and restore a backup if files are lost.',
  },
  EMFILE: {
    reason: 'this process has as many files open as it may',
    hint: 'Raise the limit of open files (ulimit -n, LimitNOFILE), then try again.',
  },
  ENFILE: {
    reason: 'the system has as many files open as it may',
    hint: 'Raise the limit of the system (sysctl fs.file-max), or end programs that hold many files, then try again.',
  },
}

/** Not a fault of one folder. */
export const isFilesUsedUp = ({ code }: Pick<StorageFault, 'code'>): boolean =>
  code === 'EMFILE' || code === 'ENFILE'

/** Undefined when the error has none of these codes. */
export function storageFault(error: unknown): StorageFault | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? storageFaultOf(code) : undefined
}

export function storageFaultOf(code: string): StorageFault | undefined {
  const fault = Object.hasOwn(faults, code) ? faults[code] : undefined
  return fault && { code, ...fault }
}
