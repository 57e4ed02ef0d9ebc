// The web player: hls.js where it is needed, native HLS in Safari.
import Hls from "hls.js";

export function attach(video: HTMLVideoElement, manifest: string): () => void {
  if (video.canPlayType("application/vnd.apple.mpegurl")) {
    video.src = manifest;
    return () => video.removeAttribute("src");
  }
  const hls = new Hls({ maxBufferLength: 30, backBufferLength: 15 });
  hls.loadSource(manifest);
  hls.attachMedia(video);
  return () => hls.destroy();
}
