/** What came with the reply to a call. */
export interface CallResponse<T> {
  /** The reply itself. */
  data: T;
  /** HTTP status. */
  status: number;
  /** Headers of the reply, as far as a browser shows them to a page of another origin. */
  headers: Headers;
  /** Number of the request in the gateway's log, when the gateway gave one. */
  requestId: string | null;
}

/** A call that was sent: a promise of its reply. */
export interface Call<T> extends Promise<T> {
  /** The reply together with its status, its headers and the number of the request. The request is not sent again. */
  withResponse(): Promise<CallResponse<T>>;
}

/** The promise of a reply, from that of a whole answer. */
export function callOf<T>(response: Promise<CallResponse<T>>): Call<T> {
  const data = response.then((whole) => whole.data);
  return Object.assign(data, {
    withResponse() {
      // One of the two promises has a reader, who hears of a failure.
      data.catch(() => undefined);
      return response;
    },
  });
}
