"""The server keeps what a browser waits for."""

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session

from pages.parts import serve


def answer_to(request: str) -> ForwardMsg:
    message = ForwardMsg()
    message.file_urls_response.response_id = request
    return message


def text(words: str) -> ForwardMsg:
    message = ForwardMsg()
    message.delta.new_element.markdown.body = words
    return message


def test_an_answer_that_has_not_left_yet_outlives_the_beginning_of_a_run(monkeypatch):
    monkeypatch.setattr(app_session, "ForwardMsgQueue", app_session.ForwardMsgQueue)
    serve.options(lambda: None, {})
    for some in (
        {},
        {"retain_lifecycle_msgs": True},
        {"retain_lifecycle_msgs": True, "fragment_ids_this_run": ["a"]},
    ):
        queue = app_session.ForwardMsgQueue()
        queue.enqueue(answer_to("first"))
        queue.enqueue(text("old"))
        queue.enqueue(answer_to("second"))
        queue.clear(**some)
        left = [
            each.file_urls_response.response_id
            for each in queue.flush()
            if each.HasField("file_urls_response")
        ]
        assert left == ["first", "second"], some
