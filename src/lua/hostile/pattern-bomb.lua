function agent.resolve()
  local text = ("a"):rep(30) .. "b"
  return { system = tostring(text:rep(1000):find((".-"):rep(30) .. "c")) }
end
