/** Shared memory in which threads show that their event loops still turn: the time of the last turn, by number. */

export type Pulses = {
  readonly memory: SharedArrayBuffer
  /** Milliseconds since the thread's last pulse; 0 when it has had none yet. */
  readonly silence: (number: number) => number
}

export function openPulses(count: number): Pulses {
  const memory = new SharedArrayBuffer(count * BigInt64Array.BYTES_PER_ELEMENT)
  const times = new BigInt64Array(memory)
  return {
    memory,
    silence: (number) => {
      const last = Number(Atomics.load(times, number))
      return last === 0 ? 0 : Date.now() - last
    },
  }
}

const PULSE_EVERY_MS = 100

/** From now on this thread has a pulse. @returns what ends it, so that nobody misses it */
export function startPulse(memory: SharedArrayBuffer, number: number): () => void {
  const times = new BigInt64Array(memory)
  const beat = () => Atomics.store(times, number, BigInt(Date.now()))
  beat()
  const timer = setInterval(beat, PULSE_EVERY_MS).unref()
  return () => {
    clearInterval(timer)
    Atomics.store(times, number, 0n)
  }
}
