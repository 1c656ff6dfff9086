function agent.resolve()
  local text = "x"
  while true do text = text .. text end
end
