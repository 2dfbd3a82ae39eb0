import omnihook


def test_public_names_are_sorted_and_importable() -> None:
    assert omnihook.__all__ == sorted(omnihook.__all__, key=lambda name: (not name[0].isupper(), name))
    for name in omnihook.__all__:
        assert getattr(omnihook, name) is not None


def test_there_are_about_twenty_of_them() -> None:
    assert 15 <= len(omnihook.__all__) <= 25


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(omnihook, "nothing")


def test_every_public_name_has_a_docstring() -> None:
    for name in omnihook.__all__:
        assert (getattr(omnihook, name).__doc__ or "").strip(), name
